# SPDX-License-Identifier: Apache-2.0
# Completion of warpref for fish: what stands below, on the tables that @FROM@.
# A value's kind is a word, or in capitals a set (tools/manual/values.py).

# True where the command line is one of this command.
function __warpref_in
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = $argv[1]
end

# What is typed of the value, without --option= in front.
function __warpref_typed
    string replace -r '^--[a-z0-9-]+=' '' -- (commandline -ct)
end

# NAME[:OPTION=VALUE,...]: the whole of it, with each name that may come next.
function __warpref_system
    set -l typed (__warpref_typed)
    if not string match -q '*:*' -- $typed
        __warpref_systems
        return
    end
    set -l last (string replace -r '^.*[:,]' '' -- $typed)
    set -l head (string replace -r '[^:,]*$' '' -- $typed)
    set -l name (string replace -r ':.*' '' -- $typed)
    if string match -q '*=*' -- $last
        set -l option (string replace -r '=.*' '' -- $last)
        string replace -r '^' "$head$option=" -- (__warpref_system_values $name:$option)
    else
        string replace -r '^' $head -- (__warpref_system_options $name)=
    end
end

# The words of the kinds given, and files.
function __warpref_value
    for kind in $argv
        switch $kind
            case BLOCK
                __warpref_blocks
            case CONFIG
                __warpref_configs
            case STUDY
                __warpref_studies
            case SYSTEM
                __warpref_systems
            case MACHINE
                set -l words (commandline -opc)
                $words[1] config 2>/dev/null
            case SYSTEM_SPEC
                __warpref_system
            case 'BLOCK=*'
                string replace -r '$' '=' -- (__warpref_blocks)
            case DIR
                __fish_complete_directories (__warpref_typed)
            case FILE
                __fish_complete_path (__warpref_typed)
            case 'FILE.*'
                __fish_complete_suffix (__warpref_typed) .(string replace FILE. '' -- $kind)
            case '*'
                echo $kind
        end
    end
end

complete -c warpref -f
@TABLES@
