# SPDX-License-Identifier: Apache-2.0
"""What is kept of studies that were run, and the pages of it: docs/studies/GROUP.md, docs/claims.md.

A record is the table of a study, studies/<group>/results/NAME.csv, with the commit that was measured in its first
line. The pages follow from study files, claims and records alone.
"""
import subprocess

import claims
import plan
import replace
import table
from commands import ROOT

PAGES = ROOT / "docs/studies"
NOTE = "<!-- made by `warpref study --page` -->\n"


def recorded(study):
    return study.path.parent / "results" / f"{study.path.stem}.csv"


def commit():
    """The commit that is measured, with + where the tree differs from it in what is measured."""
    def git(*words):
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!studies/*/results/*", ":!docs")
    return (git("rev-parse", "--short", "HEAD") or "no commit") + ("+" if changed else "")


def record(study, rows):
    recorded(study).parent.mkdir(exist_ok=True)
    replace.text(recorded(study), f"# measured at {commit()}\n" + table.to_csv(study, rows))


def section(study):
    """Question, rule, table and findings, out of the recorded table alone."""
    out = f"{study.question} Source: {study.source}.\n\n"
    if study.rule:
        out += " ".join(study.rule.split()) + "\n\n"
    if not recorded(study).is_file():
        return out + f"Not run yet: `warpref study {study.name} --save`.\n"
    measured, rows = table.from_csv(study, recorded(study))
    out += f"Measured at {measured}.\n\n"
    if study.findings:
        out += table.markdown(*table.finding_lines(table.findings(study, rows))) + "\n"
    if not study.table:
        return f"{out}The table has {len(rows):,} rows: `{recorded(study).relative_to(ROOT)}`.\n"
    return out + table.markdown(*table.lines_of(study, rows))


def pages():
    """path -> text, of the groups' pages and the claims."""
    groups = {}
    for name, path in plan.names().items():
        groups.setdefault(path.parent.name, []).append(plan.read(path))
    out = {PAGES / f"{group}.md": NOTE + f"# Studies: {group}\n" +
           "".join(f"\n## {study.path.stem}\n\n{section(study)}" for study in studies)
           for group, studies in groups.items()}
    out[ROOT / "docs/claims.md"] = claims.page()
    return out


def write():
    PAGES.mkdir(exist_ok=True)
    for path, text in pages().items():
        replace.text(path, text)


def check():
    """Every study file can be read, records are as their studies say, pages as the records."""
    wrong, count = 0, 0
    for path in plan.names().values():
        study = plan.read(path)
        count += 1
        if recorded(study).is_file():
            for line in table.unexpected(study, table.findings(study, table.from_csv(study, recorded(study))[1])):
                print(line)
                wrong += 1
    made = pages()
    for path, text in made.items():
        count += 1
        if not path.is_file() or path.read_text() != text:
            print(f"{path.relative_to(ROOT)}: is not what was recorded; `warpref study --page` writes it")
            wrong += 1
    for path in set(PAGES.glob("*.md")) - set(made):
        print(f"{path.relative_to(ROOT)}: there are no studies of this name")
        wrong += 1
    print(f"{max(count - wrong, 0)} passed, {wrong} failed")
    return 1 if wrong or not count else 0
