import { Hono } from 'hono';

export default new Hono().post('/*', (c) => c.json({ answer: 'nothing' }));
