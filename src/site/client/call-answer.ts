/** The most bytes of an answer that are read and shown. */
const mostBytes = 100_000

/** The beginning of the body of an answer. */
type Body = { text: string; isText: boolean; bytes: number; cut: boolean }

/** Reads the body of an answer up to a limit. What follows is not loaded. */
export async function readBody(answer: Response): Promise<Body> {
  const parts: Uint8Array[] = []
  let bytes = 0
  const reader = answer.body?.getReader()
  let cut = false

  while (reader && !cut) {
    const { value } = await reader.read()
    if (!value) break
    cut = bytes + value.length > mostBytes
    const part = value.subarray(0, mostBytes - bytes)
    parts.push(part)
    bytes += part.length
  }

  if (cut) reader?.cancel().catch(() => {})

  const all = new Uint8Array(bytes)
  let at = 0

  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }

  const text = new TextDecoder().decode(all)
  const isJson = /[/+]json\b/i.test(answer.headers.get('content-type') ?? '')

  return { text: isJson && !cut ? indented(text) : text, isText: !all.includes(0), bytes, cut }
}

/** The deepest level that is indented, so that nested brackets do not multiply the text. */
const deepest = 12

/**
 * Returns JSON with a line for each value; another text as it is. Numbers keep all their digits.
 */
export function indented(json: string): string {
  try {
    JSON.parse(json)
  } catch {
    return json
  }

  let depth = 0
  const line = (): string => `\n${'  '.repeat(Math.min(depth, deepest))}`

  return json.replace(
    /"(?:\\.|[^"\\])*"|([[{])\s*([\]}])?|\s*([\]}])|([,:])|\s+/g,
    (whole, open?: string, empty?: string, close?: string, sign?: string) => {
      if (open) {
        if (empty) return open + empty
        depth++
        return open + line()
      }

      if (close) {
        depth--
        return line() + close
      }

      if (sign) return sign === ',' ? sign + line() : ': '

      return whole.startsWith('"') ? whole : ''
    },
  )
}
