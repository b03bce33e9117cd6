"""Thousands of random command lines end with an exit status and a message, never with a traceback."""

import pytest

from cli.random_lines import Lines, failures


@pytest.mark.parametrize("seed", range(4))
def test_random_lines_end_without_a_traceback(seed):
    assert failures(500, seed) == []


def test_random_lines_reach_every_command_and_option():
    lines = Lines(0)
    typed = {word.partition("=")[0] for _ in range(2000) for word in lines.line()}
    assert {words[-1] for words in lines.commands} <= typed
    options = {option for command in lines.commands.values() for each in command.params for option in each.opts}
    assert len({option for option in options if option.startswith("--")} & typed) > 90
