/** The address of an article in the view Knowledge. Its id is no part of the path, which must not look like a file. */
export const articleAddress = (id: string, { isEdited = false }: { isEdited?: boolean } = {}): string =>
  `/knowledge?${new URLSearchParams({ article: id })}${isEdited ? '&edit' : ''}`;
