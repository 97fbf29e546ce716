#!/bin/sh
# Makes paper.pdf of paper.tex with as few runs of TeX as the text allows. Runs as a job in the sandbox, needs nothing
# but a shell, core utilities and TeX.
#
#   typeset.sh ENGINE NO_PDF [OPTION…]      `pdflatex -draftmode …`, `xelatex -no-pdf …`
#
# BibTeX goes first, on the citations that the caller read in the text (they are the paper.aux that it starts with):
# then the first run of TeX, which writes no PDF, has the references already, and the second is as a rule the last.
# What TeX then notes for itself decides, as with latexmk: TeX runs again until its notes stand still, BibTeX whenever
# the notes name other citations. Exit code: TeX's, or BibTeX's when a .bib file is broken; 127 = a program is not there.
set -u
engine=$1 no_pdf=$2
shift 2
MOST_RUNS=6
asked='' broken=0

notes() { cat paper.aux paper.bbl paper.toc paper.lof paper.lot paper.out 2>/dev/null | cksum; }

references() {
    wanted=$(grep -E '^\\(citation|bibstyle|bibdata)\{' paper.aux 2>/dev/null)
    case $wanted in *'\citation{'*) ;; *) return ;; esac
    [ "$wanted" != "$asked" ] || return
    asked=$wanted
    bibtex -terse paper || broken=$?
}

for program in "$engine" bibtex; do
    command -v "$program" >/dev/null || { echo "$program: not found"; exit 127; }
done

references
run=1
while [ "$run" -le "$MOST_RUNS" ]; do
    before=$(notes)
    echo "$engine, run $run"
    "$engine" "$@" ${no_pdf:+"$no_pdf"} >/dev/null </dev/null
    code=$?
    if [ "$code" -ne 0 ]; then
        grep -m 3 -E '^(! |[^ :]+:[0-9]+: )' paper.log
        exit "$code"
    fi
    references
    [ -n "$no_pdf" ] || [ "$(notes)" != "$before" ] || break
    no_pdf=''
    run=$((run + 1))
done
exit "$broken"
