"""Settings of the site: ``python -m sphinx -W -b html docs docs/_build/html`` builds it, without any network."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for the extension `site_parts`

import arraycoref

project = "arraycoref"
author = "The arraycoref developers"
project_copyright = "The arraycoref developers"
version = release = arraycoref.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "site_parts"]
exclude_patterns = ["_build", "examples/README.md", "litbank"]
root_doc = "index"
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
nitpicky = False
suppress_warnings = ["myst.xref_missing"] if "linkcheck" in sys.argv else []

default_role = "py:obj"  # names in docstrings lead to what they name
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_attr_annotations = False

html_theme = "furo"
html_title = "arraycoref"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"font-stack": "system-ui, sans-serif", "font-stack--monospace": "ui-monospace, monospace"},
    "navigation_with_keys": True,
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
