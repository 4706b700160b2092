import asyncio

import openai
from driver import ANSWERED, DECLINED, KEY, URL, fails, is_answer, is_decline, try_all

OPTIONS = {"base_url": f"{URL}/v1", "max_retries": 0}
client = openai.OpenAI(api_key=KEY, **OPTIONS)


def chat(content, **more):
    return client.chat.completions.create(
        **{"model": "constellation", "messages": [{"role": "user", "content": content}], **more}
    )


def models():
    assert "constellation" in [model.id for model in client.models.list()]


def stream():
    text, tokens = "", None
    for chunk in chat(ANSWERED, stream=True, stream_options={"include_usage": True}):
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        tokens = chunk.usage.total_tokens if chunk.usage else tokens
    is_answer(text)
    # None without a model.
    assert tokens is not None


def responses_stream():
    with client.responses.stream(model="constellation", input=ANSWERED) as events:
        types = {event.type for event in events}
        assert {"response.output_text.delta", "response.completed"} <= types, types
        is_answer(events.get_final_response().output_text)


def failing(kind, status, action):
    async def run():
        error = await fails(action, kind)
        assert error.status_code == status, error.status_code
        assert len(str(error)) > 20, str(error)

    return run


asyncio.run(
    try_all(
        {
            "models": models,
            "a question answered": lambda: is_answer(chat(ANSWERED).choices[0].message.content),
            "a question declined": lambda: is_decline(chat(DECLINED).choices[0].message.content),
            "a stream": stream,
            "responses": lambda: is_answer(client.responses.create(model="constellation", input=ANSWERED).output_text),
            "responses declined": lambda: is_decline(
                client.responses.create(model="constellation", input=DECLINED).output_text
            ),
            "responses streamed": responses_stream,
            "a bad request": failing(openai.BadRequestError, 400, lambda: chat("Why?", n=2)),
            "a bad request to responses": failing(
                openai.BadRequestError, 400, lambda: client.responses.create(model="constellation", input="")
            ),
            "an unknown model": failing(openai.NotFoundError, 404, lambda: chat("Why?", model="gpt-unknown")),
            "a wrong key": failing(
                openai.AuthenticationError,
                401,
                lambda: openai.OpenAI(api_key="wrong", **OPTIONS).models.list(),
            ),
        }
    )
)
