import { problemText } from '../knowledge/retrieval/problem-text.ts';
import { leansOnHistory } from './message-kind.ts';

/**
 * A message that hands on another mail, without that mail's head; where the words before it say
 * little by themselves ("FYI"), without them. Any other message as it is.
 *
 * @param message Masked.
 */
export const forwardedMail = (message: string): string => {
  const mark = MARK.exec(message);
  if (mark === null) return message;
  const own = message.slice(0, mark.index).trim();
  const mail = message
    .slice(mark.index + mark[0].length)
    .replace(/^[ \t]{0,8}(?:>[ \t]?){1,9}/gm, '')
    .trim();
  const body = mail.replace(HEAD, '').trim();
  if (body === '') return message;
  return leansOnHistory(problemText(own).text) ? body : `${own}\n${body}`;
};

const MARK = /^[ \t>]{0,9}(?:-{2,} ?|begin )(?:forwarded|weitergeleitete|message transf|mensaje reen)[^\n]{0,60}$/im;
/** "From: …", "Betreff: …": one behind the other. */
const HEAD = /^(?:[*_]{0,2}\p{L}[\p{L}-]{0,12}[*_ ]{0,3}:[^\n]{0,500}(?:\n|$))+/u;
