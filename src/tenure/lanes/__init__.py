"""One drawing of leases on a time axis, as terminal text and as SVG. It is pure text: no clock, no file, no stream."""

from .course import Course
from .drawing import Bar, Drawing, Lane, Mark, Phase, Series, visible
from .svg import svg
from .terminal import needs_ascii, terminal

__all__ = ["Bar", "Course", "Drawing", "Lane", "Mark", "Phase", "Series", "needs_ascii", "svg", "terminal", "visible"]
