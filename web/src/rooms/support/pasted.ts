/** The files of what is pasted; none where it is a text, which a word processor sends with a picture of itself. */
export const pastedFiles = (data: DataTransfer): File[] =>
  data.types.includes('text/plain') ? [] : [...data.files];

/** Whether what is dragged over the page is files. */
export const bringsFiles = (data: DataTransfer): boolean => data.types.includes('Files');
