
# What the rest needs of the package bash-completion, for shells that lack it.

# The words up to the cursor. Bash cuts them at = and : as well; here they are whole.
__PROGRAM_words()
{
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref "$@"
        return
    fi
    local i gap line=${COMP_LINE:0:COMP_POINT}
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        gap=${line%%[![:space:]]*}
        line=${line#"$gap"}
        if ((i == 0)) || [[ -n $gap ]]; then
            words+=("")
        fi
        if ((i == COMP_CWORD)); then
            words[${#words[@]}-1]+=$line
        else
            words[${#words[@]}-1]+=${COMP_WORDS[i]}
            line=${line#"${COMP_WORDS[i]}"}
        fi
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=${words[cword > 0 ? cword - 1 : 0]}
}

# Directories, and files: with one of some endings (tb|zst), all, or with -d none.
__PROGRAM_filedir()
{
    if declare -F _filedir >/dev/null; then
        _filedir "$@"
        return
    fi
    local name
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(
        compgen -d -- "$cur"
        case ${1-} in
        -d) ;;
        '') compgen -f -- "$cur" ;;
        *)
            IFS='|'
            for ending in $1; do
                compgen -f -X "!*.$ending" -- "$cur"
            done
            ;;
        esac
    )
    if [[ $(type -t compopt) == builtin ]]; then
        compopt -o filenames
    fi
}
