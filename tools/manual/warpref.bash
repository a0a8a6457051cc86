# SPDX-License-Identifier: Apache-2.0
# Completion of warpref for bash 4.3 or newer: what stands below, on the tables that @FROM@.
# A value's kind is a word, or in capitals a set (tools/manual/values.py). Needs nothing of bash-completion.

# shellcheck disable=SC2086,SC2154,SC2191,SC2206  # sets are words, parted by blanks

@TABLES@

# Puts candidates for $cur into COMPREPLY: words of the kinds given, and where none begins so, files. The variables
# cur, head and program are _warpref's.
_warpref_value() {
    local kind word words=() files=() folders='' more
    for kind in "$@"; do
        case $kind in
        BLOCK) words+=($_warpref_blocks) ;;
        CONFIG) words+=($_warpref_configs) ;;
        STUDY) words+=($_warpref_studies) ;;
        SYSTEM) words+=("${!_warpref_systems[@]}") ;;
        MACHINE)
            mapfile -t more < <("$program" config 2>/dev/null)
            words+=("${more[@]}")
            ;;
        SYSTEM_SPEC) _warpref_system ;;
        BLOCK=*)
            if [[ $cur == *=* ]]; then
                head+=${cur%%=*}= cur=${cur#*=}
                _warpref_value "${kind#*=}"
            else
                words+=(${_warpref_blocks// /= }=)
                compopt -o nospace 2>/dev/null
            fi
            ;;
        FILE) mapfile -t files < <(compgen -f -- "$cur") ;;
        DIR) folders=1 ;;
        FILE.*)
            folders=1
            mapfile -t -O ${#files[@]} files < <(compgen -f -X "!*${kind#FILE}" -- "$cur")
            ;;
        *) words+=("$kind") ;;
        esac
    done
    for word in "${words[@]}"; do
        [[ $word != "$cur"* ]] || COMPREPLY+=("$word")
    done
    [[ ! $folders ]] || mapfile -t -O ${#files[@]} files < <(compgen -d -- "$cur")
    if [[ ${#COMPREPLY[@]} == 0 && ${#files[@]} != 0 ]]; then
        COMPREPLY=("${files[@]}")
        compopt -o filenames 2>/dev/null
    fi
}

# NAME[:OPTION=VALUE,...]
_warpref_system() {
    local name=${cur%%:*} last=${cur##*[:,]} names
    compopt -o nospace 2>/dev/null
    if [[ $cur != *:* ]]; then
        _warpref_value SYSTEM
    elif [[ $last == *=* ]]; then
        head+=${cur%"$last"}${last%%=*}= cur=${last#*=}
        _warpref_value ${_warpref_values["--system=$name:${last%%=*}"]-}
    else
        head+=${cur%"$last"} cur=$last
        names=${_warpref_systems[$name]-}
        [[ ! $names ]] || _warpref_value ${names// /= }=
    fi
}

_warpref() {
    local IFS=$' \t\n' program=${COMP_WORDS[0]/#\~/$HOME} words=() i word glue='' cur whole head='' command before
    local breaks='' gone=''
    # readline parts words at = and :, where COMP_WORDBREAKS has them; here they are whole again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $i -gt 2 && ( $glue || $word == [=:]* ) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        glue=
        [[ $word != *[=:] ]] || glue=1
    done
    cur=${words[-1]} whole=$cur command=${words[1]-} before=${words[-2]-}
    COMPREPLY=()

    if ((${#words[@]} <= 2)); then
        _warpref_value $_warpref_commands --help --version
    elif [[ $cur == --*=* ]]; then
        head=${cur%%=*}= cur=${cur#*=}
        _warpref_value ${_warpref_values["$command ${head%=}"]-}
    elif [[ $before == -* && ${_warpref_values["$command $before"]+x} ]]; then
        _warpref_value ${_warpref_values["$command $before"]}
    elif [[ $cur == -* ]]; then
        _warpref_value ${_warpref_options[$command]-}
        [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    else
        _warpref_value ${_warpref_values[$command]-}
    fi

    # readline replaces what stands behind the last place where it parted the word.
    [[ $COMP_WORDBREAKS != *=* ]] || breaks+='='
    [[ $COMP_WORDBREAKS != *:* ]] || breaks+=':'
    [[ ! $breaks ]] || gone=${whole%"${whole##*["$breaks"]}"}
    for i in "${!COMPREPLY[@]}"; do
        word=$head${COMPREPLY[i]}
        COMPREPLY[i]=${word#"$gone"}
    done
}

complete -F _warpref warpref
