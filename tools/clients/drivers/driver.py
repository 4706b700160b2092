"""What the drivers of Python clients share."""

import asyncio
import inspect
import json
import os
import re

URL = os.environ["CONSTELLATION_URL"]
KEY = os.environ["CONSTELLATION_API_KEY"]
HEADERS = {"Authorization": f"Bearer {KEY}"}

# Asked of every client: the sample knowledge base answers the first, and not the second.
ANSWERED = "How long does shipping to Canada take?"
DECLINED = "Which opera houses did Verdi write for?"
ACTION_SECONDS = 30


def is_answer(text):
    assert re.search(r"Canada[\s\S]*\[1\]", text), text


def is_decline(text):
    assert re.search(r"\w+ \w+", text), text
    assert not re.search(r"Verdi wrote|\.md\b|threshold|similarity|0\.\d", text), text


async def fails(action, kind=Exception):
    """The error that an action ends with."""
    try:
        result = action()
        if inspect.isawaitable(result):
            await result
    except kind as error:
        return error
    raise AssertionError("it did not fail")


async def try_all(actions):
    """Tries each action alone, and prints a line of JSON for each."""
    for tried, action in actions.items():
        line = {"tried": tried}
        try:
            result = action()
            if inspect.isawaitable(result):
                await asyncio.wait_for(result, ACTION_SECONDS)
        except Exception as error:
            line["problem"] = f"{type(error).__name__}: {error}"[:400]
        print(json.dumps(line, separators=(",", ":")), flush=True)


def wrong_key(connect):
    """That a client of MCP fails with a wrong key; `connect` takes headers."""

    async def action():
        async def enter():
            async with connect({"Authorization": "Bearer wrong"}):
                pass

        await fails(enter)

    return action


def tool_actions(list_names, call):
    """The actions that every client of MCP can do; `call` returns the text and whether the client takes it for a failure."""

    async def names():
        found = await list_names()
        for name in ("ask", "search", "read_article", "list_gaps", "analyze_ticket", "remember", "recall"):
            assert name in found, found

    def works(name, given, check):
        async def action():
            text, is_error = await call(name, given)
            assert not is_error, text
            check(text)

        return action

    def refused(name, given, pattern):
        async def action():
            text, is_error = await call(name, given)
            assert is_error and re.search(pattern, text), text

        return action

    def has_link(text):
        assert re.search(r"https?://", text), text

    return {
        "list tools": names,
        "a tool call": works("search", {"query": "reset the password"}, has_link),
        "a question answered": works("ask", {"query": ANSWERED}, is_answer),
        "a question declined": works("ask", {"query": DECLINED}, is_decline),
        "a call that fails": refused("read_article", {"id": "nope.md"}, "Cannot find this article"),
        "wrong arguments": refused("list_gaps", {"limit": 1000}, "limit|1000"),
    }
