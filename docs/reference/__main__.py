"""Write the pages that are generated from the code: ``python -m docs.reference``."""

from docs.reference.pages import PAGES, ROOT

for name, made in PAGES.items():
    (ROOT / name).write_text(made(), encoding="utf-8")
