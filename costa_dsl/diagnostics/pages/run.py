"""Pages of the codes COS5xxx (graph), COS6xxx (run time), COS8xxx (environment) and COS9xxx (plug-ins)."""

from __future__ import annotations

from costa_dsl.diagnostics.pages.code import Code

PAGES = {
    "COS5001": Code("The verifier refuses the compiled graph", "This is a defect of costa, not of your plan. Please report it with the plan."),
    "COS6101": Code("A step could not be done well enough", "Every tool for the step was tried, with its retries, and each result failed a check or gave nothing; the message says what each tool said. The furthest picture is kept in the run directory. Ways out: point the object out with `at:`, lower `policy: {threshold: …}`, or install an extra with a better tool."),
    "COS6102": Code("The finished picture does not meet the plan's `expect:`", "All steps were done, but a check that the plan asks of the whole result failed."),
    "COS6201": Code("The budget is spent", "`policy: {budget: …}` ended the run. The furthest picture is kept in the run directory."),
    "COS6202": Code("Interrupted", "The run was stopped by hand. The furthest picture is kept in the run directory."),
    "COS6301": Code("A file outside the plan's folder", "A plan from a stranger must not read your files: names in a plan lie beside or below it."),
    "COS6302": Code("A missing file", "The plan names a file that is not there. Names are relative to the plan's folder."),
    "COS6801": Code("A stored artifact cannot be read", "A file in the run directory is gone or cannot be opened. Run the step again."),
    "COS6802": Code("A stored artifact is damaged", "The content of a file does not have the digest that is its name. Delete it and run the step again."),
    "COS8201": Code("The run directory cannot be made", "Choose another with `--run-dir`."),
    "COS8202": Code("The run directory is not empty", "Every run gets a folder of its own, so that nothing is lost. Choose a new one with `--run-dir`."),
    "COS8203": Code("A file cannot be written", "Choose another place with `-o`."),
    "COS8204": Code("Standard output cannot be written", "The disk or device behind it is full or broken. Results of a run are in its run directory all the same."),
    "COS9001": Code("Two packages bring one implementation", "Two installed packages define an entry point of the same name in the group costa.tools. Uninstall one of them."),
}  # fmt: skip
