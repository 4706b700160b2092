import asyncio

from driver import ANSWERED, HEADERS, URL, tool_actions, try_all, wrong_key
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


def connect(headers=HEADERS):
    return Client(StreamableHttpTransport(f"{URL}/mcp", headers=headers))


async def main():
    async with connect() as client:

        async def names():
            return [tool.name for tool in await client.list_tools()]

        async def call(name, given):
            result = await client.call_tool(name, given, raise_on_error=False)
            return "\n".join(getattr(part, "text", "") or "" for part in result.content), result.is_error

        async def progress():
            reported = []

            async def report(*values):
                reported.append(values)

            await client.call_tool("ask", {"query": ANSWERED}, progress_handler=report)
            assert reported

        async def articles():
            first = (await client.list_resources())[0]
            assert (await client.read_resource(first.uri))[0].text

        await try_all(
            {
                **tool_actions(names, call),
                "a stream (progress)": progress,
                "articles": articles,
                "a wrong key": wrong_key(connect),
            }
        )


asyncio.run(main())
