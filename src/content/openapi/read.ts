import { upgrade } from '@scalar/openapi-upgrader'
import { asDescription, checkDescription } from './check.ts'
import { describeOpenapi } from './describe.ts'
import { type DescriptionProblem, joinFiles } from './files.ts'
import { DescriptionError, parseDescription } from './parse.ts'

/** The files of a description as they came, and which of them it begins with. */
export type ReadInput = {
  files: { address: string; bytes: Uint8Array }[]
  entry: string
  /** Why files that were wanted are not there, by address. */
  unavailable: [address: string, why: string][]
}

export type ReadOutput =
  /** Files that are needed beside those that are there. */
  | { result: 'wanted'; addresses: string[] }
  /** It is no description that can be read: one sentence. */
  | { result: 'bad'; message: string }
  | {
      result: 'read'
      /** JSON. */
      outline: string
      /** A line of JSON, `[key, text]`, for each piece. */
      pieces: Uint8Array<ArrayBuffer>
      problems: DescriptionProblem[]
    }

/** Reads a description: what it says, or what it needs. May take seconds, and memory: to be called in a thread of its own. */
export function readDescription(input: ReadInput): ReadOutput {
  try {
    return read(input)
  } catch (error) {
    if (error instanceof DescriptionError) return { result: 'bad', message: error.message }
    if (error instanceof RangeError)
      return { result: 'bad', message: 'The description is nested too deeply.' }
    throw error
  }
}

function read({ files, entry, unavailable }: ReadInput): ReadOutput {
  const gone = new Map(unavailable)
  const parsed = new Map<string, unknown>()
  for (const { address, bytes } of files) {
    try {
      parsed.set(address, parseDescription(bytes))
    } catch (error) {
      if (address === entry || !(error instanceof DescriptionError)) throw error
      gone.set(address, error.message)
    }
  }
  asDescription(parsed.get(entry))
  const { document, wanted, problems } = joinFiles(parsed, entry, gone)
  if (wanted.length > 0) return { result: 'wanted', addresses: wanted }
  const description = asDescription(document)
  const found = checkDescription(description)
  const { outline, pieces } = describeOpenapi(upgraded(description))
  const lines = [...pieces].map(piece => `${JSON.stringify(piece)}\n`)
  return {
    result: 'read',
    outline: JSON.stringify(outline),
    pieces: new TextEncoder().encode(lines.join('')),
    problems: [...problems, ...found],
  }
}

/** As OpenAPI 3.1, or as it is where it is so wrong that it cannot be brought up. */
function upgraded(description: Record<string, unknown>): unknown {
  try {
    return upgrade(description, '3.1')
  } catch {
    return description
  }
}
