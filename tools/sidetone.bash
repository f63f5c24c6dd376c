# Completion of the sidetone command for bash: source it, or install it as bash-completion/completions/sidetone.
_sidetone() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]:-}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W 'read gen lab help --help --version' -- "$word")
        return
    fi
    case $verb in
    help)
        mapfile -t COMPREPLY < <(compgen -W 'read gen lab' -- "$word")
        return
        ;;
    read)
        if [[ $previous == --cores ]]; then
            return # a number
        fi
        if [[ $previous == --group-by ]]; then
            mapfile -t COMPREPLY < <(compgen -W 'src dst from_host to_host from_user to_user user_agent method kind
                state final_code transport codec ended_by minute hour prefix' -- "$word")
            return
        fi
        if [[ $previous == --jitter-buffer ]]; then
            mapfile -t COMPREPLY < <(compgen -W '60ms 200ms adaptive' -- "$word")
            return
        fi
        if [[ $word == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W '--json --messages --headers --stats --group-by --csv
                --markdown --all --jitter-buffer --strict-legs --cores --color --no-color
                --quiet --no-progress -I -N --help' -- "$word")
            return
        fi
        ;;
    gen)
        if ((COMP_CWORD == 2)); then
            mapfile -t COMPREPLY < <(compgen -W 'carrier --help' -- "$word")
            return
        fi
        case $previous in
        --calls | --rtp-per-call | --concurrency | --call-ids | --stream-pairs | --seed | --vlan)
            return # a number
            ;;
        esac
        if [[ $previous != --out ]]; then
            mapfile -t COMPREPLY < <(compgen -W '--out --calls --rtp-per-call --concurrency --call-ids
                --stream-pairs --seed --trunk --ipv6 --vlan --tcp --pcapng --quiet --help' -- "$word")
            return
        fi
        ;;
    lab)
        if ((COMP_CWORD == 2)); then
            mapfile -t COMPREPLY < <(compgen -W 'scale ab gate compare floor --help' -- "$word")
            return
        fi
        if [[ $word == -* && ${COMP_WORDS[2]} == gate ]]; then
            mapfile -t COMPREPLY < <(compgen -W '--baseline --corpus --runs --cores --json --record --tolerance --calls
                --concurrency --lower --why --help' -- "$word")
            return
        fi
        if [[ $word == -* && ${COMP_WORDS[2]} == scale ]]; then
            mapfile -t COMPREPLY < <(compgen -W '--cores --runs --command --packets --json --quiet --help' -- "$word")
            return
        fi
        if [[ $word == -* && ${COMP_WORDS[2]} == ab ]]; then
            mapfile -t COMPREPLY < <(compgen -W '--a --b --control --runs --instructions --seed --json --quiet
                --help' -- "$word")
            return
        fi
        if [[ $word == -* && ${COMP_WORDS[2]} == compare ]]; then
            mapfile -t COMPREPLY < <(compgen -W '--runs --cores --time-limit --json --help' -- "$word")
            return
        fi
        ;;
    esac
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -F _sidetone sidetone
