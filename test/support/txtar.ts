/**
 * A small tree of text files in one text: a comment before the first file, and the files by path.
 */
export type Txtar = { comment: string; files: Record<string, string> }

const marker = /^-- (.+?) --\r?$/

/** Parses a txtar archive: each file begins with a line `-- path --` and ends at the next one. */
export function parseTxtar(text: string): Txtar {
  const archive: Txtar = { comment: '', files: {} }
  let path: string | undefined
  for (const line of text.split(/(?<=\n)/)) {
    const name = marker.exec(line.replace(/\n$/, ''))?.[1]
    if (name !== undefined) {
      path = name.trim()
      archive.files[path] = ''
    } else if (path === undefined) archive.comment += line
    else archive.files[path] += line
  }

  return archive
}

/** Formats a txtar archive; a file without a final line end gets one. */
export function formatTxtar({ comment, files }: Txtar): string {
  const whole = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
  const parts = Object.entries(files).map(([path, text]) => `-- ${path} --\n${whole(text)}`)
  return whole(comment) + parts.join('')
}
