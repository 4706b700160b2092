import asyncio

import httpx2
from driver import ANSWERED, HEADERS, URL, tool_actions, try_all, wrong_key
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


def connect(headers=HEADERS):
    http_client = httpx2.AsyncClient(headers=headers, timeout=30)
    return Client(streamable_http_client(f"{URL}/mcp", http_client=http_client))


async def main():
    async with connect() as client:

        async def names():
            return [tool.name for tool in (await client.list_tools()).tools]

        async def call(name, given):
            result = await client.call_tool(name, given)
            return "\n".join(getattr(part, "text", "") or "" for part in result.content), bool(result.is_error)

        async def progress():
            reported = []

            async def report(*values):
                reported.append(values)

            await client.call_tool("ask", {"query": ANSWERED}, progress_callback=report)
            assert reported

        async def articles():
            first = (await client.list_resources()).resources[0]
            assert (await client.read_resource(first.uri)).contents[0].text

        await try_all(
            {
                **tool_actions(names, call),
                "a stream (progress)": progress,
                "articles": articles,
                "a wrong key": wrong_key(connect),
            }
        )


asyncio.run(main())
