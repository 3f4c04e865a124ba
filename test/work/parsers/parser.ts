import type { App } from '../../support/app.ts'

/**
 * A parser of what strangers or editors send, and inputs that are well formed, but forged or
 * pathological.
 */
export type Parser = {
  name: string
  /** The largest input that it takes, in bytes: it is measured with this and a quarter of it. */
  most: number
  /** Returns inputs of about so many bytes, by the construct that they repeat. */
  forms: Record<string, (bytes: number) => unknown>
  /** Parses an input, which it may refuse. */
  parse: (input: never, app: App) => unknown
  /** The most CPU for the largest input, in milliseconds. */
  mostMs?: number
}

/** Returns a part as often as it fits. */
export const times = (part: string, bytes: number): string =>
  part.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(part))))

/** Repeats a part, replacing `#` by a new number each time. */
export const numbered = (part: string, bytes: number): string =>
  Array.from({ length: Math.max(1, Math.floor(bytes / (part.length + 4))) }, (_, at) =>
    part.replaceAll('#', String(at)),
  ).join('')
