#compdef warpref
# SPDX-License-Identifier: Apache-2.0
# Completion of warpref for zsh: what stands below, on the tables that @FROM@.
# A value's kind is a word, or in capitals a set (tools/manual/values.py).

local program=$words[1]
@TABLES@

# Adds the words of the kinds given, and files.
_warpref_value() {
    local kind found=1 name option
    local -a these
    for kind in "$@"; do
        case $kind in
        BLOCK) these+=(${=_warpref_blocks}) ;;
        CONFIG) these+=(${=_warpref_configs}) ;;
        STUDY) these+=(${=_warpref_studies}) ;;
        SYSTEM) these+=(${(k)_warpref_systems}) ;;
        MACHINE) these+=(${(f)"$(_call_program configurations ${(q)program} config 2>/dev/null)"}) ;;
        SYSTEM_SPEC)
            if compset -P 1 '*:'; then
                name=${${IPREFIX%:}##*=}
                compset -P '*,'
                if compset -P 1 '*='; then
                    option=${${IPREFIX%=}##*[:,]}
                    _warpref_value ${=_warpref_values[--system=$name:$option]}
                else
                    compadd -S= -- ${=_warpref_systems[$name]}
                fi
                return
            fi
            compadd -S '' -- ${(k)_warpref_systems} && found=0
            ;;
        BLOCK=*)
            if compset -P 1 '*='; then
                _warpref_value ${kind#*=}
                return
            fi
            compadd -S= -- ${=_warpref_blocks} && found=0
            ;;
        DIR) _files -/ && found=0 ;;
        FILE) _files && found=0 ;;
        FILE.*) _files -g "*.${kind#FILE.}" && found=0 ;;
        *) these+=($kind) ;;
        esac
    done
    (( $#these )) && compadd -- $these && found=0
    return found
}

if (( CURRENT == 2 )); then
    _describe -t commands command _warpref_commands
    [[ $PREFIX != -* ]] || compadd -- --help --version
    return
fi
local command=$words[2]
shift words
(( CURRENT-- ))
case $command in
@OPTIONS@
esac
