"""Pages of the codes COS81xx (picture files) and COS91xx (checks of plug-ins)."""

from __future__ import annotations

from costa_dsl.diagnostics.pages.code import Code

_READS = "costa reads PNG, JPEG, WebP, TIFF, BMP and GIF, with 8 bits a channel (16 bits are rounded)."

PAGES = {
    "COS8101": Code("No such picture", "There is no file of this name. Relative names start at the working directory on the command line, at the plan's folder in a plan."),
    "COS8102": Code("Not a file", "A folder or a device was named where a picture file is expected."),
    "COS8103": Code("A file that cannot be read", "The system refuses to open or read the file: its permissions, or the disk."),
    "COS8104": Code("An empty file", "The file has no bytes: most often a copy or download that broke off."),
    "COS8105": Code("Not a picture", f"The content is no picture, whatever the name says. {_READS}"),
    "COS8106": Code("A damaged picture", "The file ends too early or its data make no sense. Copy or download it again."),
    "COS8107": Code("Too many pixels", "The size in the file's header is beyond the limit. It is refused before anything is decoded, since such files can be made to fill the memory."),
    "COS8108": Code("A kind of picture that costa does not work with", f"{_READS} Convert the file first."),
    "COS8109": Code("No such sample", "`sample:NAME` stands for a photograph that comes with scikit-image; the message lists the names."),
    "COS8110": Code("The samples are not installed", "The `sample:` photographs come with scikit-image."),
    "COS8111": Code("16 bits became 8", "costa works with 8 bits a channel, as its tools do; the lower 8 bits are rounded away."),
    "COS8112": Code("Only the first frame", "The file holds several frames or pages; costa edits the first."),
    "COS8113": Code("An unusable color profile", "The embedded profile is damaged or of a kind that cannot be converted; the colors were taken as sRGB."),
    "COS8114": Code("Damaged EXIF data", "The orientation could not be read; the picture was taken as it lies in the file."),
    "COS8121": Code("The folder of the result is missing", "Make the folder first. This is found out before anything runs."),
    "COS8122": Code("The result cannot be written there", "The folder or the file does not allow it. This is found out before anything runs."),
    "COS8123": Code("An unknown kind of result", "The suffix of the name decides the format: .png, .jpg, .webp, .tiff or .bmp."),
    "COS8124": Code("The result's name is taken", "A folder, or something else that is no file, has this name."),
    "COS8125": Code("Transparency was filled with white", "JPEG and BMP cannot hold transparency. Write a .png or .webp to keep it."),
    "COS8126": Code("The result could not be written", "The picture does not fit the format, or the disk is full. It is still in the run directory as output.png."),
    "COS9101": Code("Two checks of one name", "An installed package defines a check (entry point in costa.checks) whose name is taken. Remove one of the packages."),
    "COS9102": Code("No such check", "The vocabulary or a plan names a check that neither costa nor an installed package has."),
    "COS9103": Code("A check that cannot be loaded", "The entry point of an installed package does not import. Repair or remove that package."),
    "COS9104": Code("A check failed itself", "The check raised an error or gave nonsense, so nothing was verified and the result counts as failed. Please report it to the check's authors."),
}  # fmt: skip
