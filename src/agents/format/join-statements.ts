/** Statements of a model as one text: sentences in one paragraph; lists and tables stand apart. */
export const joinStatements = (statements: readonly string[]): string =>
  statements.reduce((all, text) => {
    const isApart = all === '' || /\n|^[-*+|>#\d]/.test(text) || all.endsWith(':') || /\n[^\n]*$/.test(all);
    return all === '' ? text : `${all}${isApart ? '\n\n' : ' '}${text}`;
  }, '');
