"""A counterexample told: as text, as a drawing, as a page, as JSON and as a test, all from the same steps."""

from .files import save
from .page import page, svg
from .reproduction import reproduction
from .terminal import text
from .written import as_json

__all__ = ["as_json", "page", "reproduction", "save", "svg", "text"]
