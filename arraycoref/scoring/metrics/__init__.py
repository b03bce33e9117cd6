"""The metrics: a registry of them, their scores, and pages that compute counts; older variants share a page."""
