/** A part of a form: a field, or a file with its name and type. */
export type Part = [name: string, value: string | SentFile]
export type SentFile = { name: string; type: string; bytes: Uint8Array }

const boundary = '----formBoundary7MA4YWxkTrZu0gW'

/** The type of the forms of `multipartOf`. */
export const multipartType = `multipart/form-data; boundary=${boundary}`

/** Returns a form as browsers send it with `enctype="multipart/form-data"`. */
export const multipartOf = (parts: Iterable<Part>): Buffer =>
  Buffer.concat([
    ...[...parts].flatMap(([name, value]) => partOf(name, value)),
    Buffer.from(`--${boundary}--\r\n`),
  ])

function partOf(name: string, value: string | SentFile): Buffer[] {
  const isFile = typeof value !== 'string'
  const filename = isFile ? `; filename="${escaped(value.name)}"` : ''
  const type = isFile ? `\r\nContent-Type: ${value.type}` : ''
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${filename}${type}\r\n\r\n`
  const bytes = isFile ? Buffer.from(value.bytes) : Buffer.from(value.replace(/\r?\n/g, '\r\n'))
  return [Buffer.from(head), bytes, Buffer.from('\r\n')]
}

const escaped = (text: string): string =>
  text.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22')
