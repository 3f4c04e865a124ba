import { upgrade } from '@scalar/openapi-upgrader'
import { describeSpec } from './describe.ts'
import { joinFiles, type SpecProblem } from './files.ts'
import { asSpec, parseSpec, SpecError, validateSpec } from './parse.ts'

/** The files of a spec as received, and the address of its entry file. */
export type ReadInput = {
  files: { address: string; bytes: Uint8Array }[]
  entry: string
  /** Why a wanted file is missing, by address. */
  unavailable: [address: string, why: string][]
}

export type ReadOutput =
  /** Files that are needed in addition to those of the input. */
  | { result: 'wanted'; addresses: string[] }
  /** The spec cannot be read; the message says why in one sentence. */
  | { result: 'bad'; message: string }
  | {
      result: 'read'
      /** JSON. */
      outline: string
      /** A line of JSON, `[key, text]`, for each piece. */
      pieces: Uint8Array<ArrayBuffer>
      problems: SpecProblem[]
    }

/**
 * Reads a spec: returns its outline and pieces, or the files that are still needed. Call it in a
 * separate thread: it may take seconds and a large amount of memory.
 */
export function readSpec(input: ReadInput): ReadOutput {
  try {
    return read(input)
  } catch (error) {
    if (error instanceof SpecError) return { result: 'bad', message: error.message }
    if (error instanceof RangeError)
      return { result: 'bad', message: 'The spec is nested too deeply.' }
    throw error
  }
}

function read({ files, entry, unavailable }: ReadInput): ReadOutput {
  const missing = new Map(unavailable)
  const parsed = new Map<string, unknown>()
  for (const { address, bytes } of files) {
    try {
      parsed.set(address, parseSpec(bytes))
    } catch (error) {
      if (address === entry || !(error instanceof SpecError)) throw error
      missing.set(address, error.message)
    }
  }

  asSpec(parsed.get(entry))
  const { document, wanted, problems } = joinFiles(parsed, entry, missing)
  if (wanted.length > 0) return { result: 'wanted', addresses: wanted }

  const spec = asSpec(document)
  const invalid = validateSpec(spec)
  const { outline, pieces } = describeSpec(upgraded(spec))
  const lines = [...pieces].map(piece => `${JSON.stringify(piece)}\n`)

  return {
    result: 'read',
    outline: JSON.stringify(outline),
    pieces: new TextEncoder().encode(lines.join('')),
    problems: [...problems, ...invalid],
  }
}

/** Returns the spec upgraded to OpenAPI 3.1, or unchanged where it is too broken for that. */
function upgraded(spec: Record<string, unknown>): unknown {
  try {
    return upgrade(spec, '3.1')
  } catch {
    return spec
  }
}
