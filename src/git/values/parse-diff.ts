import type { Oid } from '../../lib/oid.ts'
import { decodeName } from './parse.ts'

export type ChangeStatus = 'added' | 'modified' | 'deleted' | 'renamed'

/** One file that differs between two trees. Modes are '100644', '100755', '120000' or '160000'. */
export type TreeChange = {
  status: ChangeStatus
  path: string
  /** The previous path of a renamed file. */
  from?: string
  oldOid?: Oid
  newOid?: Oid
  oldMode?: string
  newMode?: string
  /** The share of a renamed file that is unchanged, 0 to 100. */
  similarity?: number
}

const noObject = /^0+$/

/**
 * Returns a function that takes chunks of `-z` output and returns the tokens between NULs completed
 * so far.
 */
export function zeroSplitter(): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  return chunk => {
    const bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk
    const tokens: Buffer[] = []
    let at = 0

    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, at)) {
      tokens.push(bytes.subarray(at, end))
      at = end + 1
    }

    rest = bytes.subarray(at)

    return tokens
  }
}

/** Returns how many paths follow a line such as ":100644 100644 <old> <new> R096". */
export const pathsAfter = (line: string): number => (/ [RC]\d*$/.test(line) ? 2 : 1)

/**
 * Parses a raw diff line and the paths that follow it. Returns undefined when a path is not valid
 * UTF-8. A copy counts as added, a change of type (file to link) as modified.
 */
export function parseRawChange(line: string, paths: readonly Buffer[]): TreeChange | undefined {
  const [, oldMode = '', newMode = '', oldOid = '', newOid = '', letter = '', score = ''] =
    /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])(\d*)$/.exec(line) ?? []
  const names = paths.map(decodeName)
  if (names.some(name => name === undefined)) return undefined

  const path = names.at(-1) as string
  const before = { ...(!noObject.test(oldOid) && { oldOid: oldOid as Oid }), oldMode }
  const after = { ...(!noObject.test(newOid) && { newOid: newOid as Oid }), newMode }
  if (letter === 'A' || letter === 'C') return { status: 'added', path, ...after }
  if (letter === 'D') return { status: 'deleted', path, ...before }
  if (letter !== 'R') return { status: 'modified', path, ...before, ...after }

  return {
    status: 'renamed',
    path,
    from: names[0] as string,
    ...before,
    ...after,
    similarity: Number(score),
  }
}

/** Parses a complete `--raw -z` output. */
export function parseRawDiff(bytes: Buffer): TreeChange[] {
  const tokens = zeroSplitter()(bytes)
  const changes: TreeChange[] = []
  for (let at = 0; at < tokens.length; ) {
    const line = tokens[at]!.toString('latin1')
    const count = pathsAfter(line)
    const change = parseRawChange(line, tokens.slice(at + 1, at + 1 + count))
    if (change) changes.push(change)
    at += 1 + count
  }

  return changes
}
