import { APIConnectionError, APIConnectionTimeoutError, AzureOpenAI, OpenAI } from 'openai';

/** What is used of the client of OpenAI: imported as a whole, all that it exports would be in a bundle. */
export const openAILibrary = { APIConnectionError, APIConnectionTimeoutError, AzureOpenAI, OpenAI };
