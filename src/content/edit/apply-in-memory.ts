import { atOnce } from '../../lib/slices.ts'
import { inboundOf } from '../links/inbound.ts'
import type { ContentTree } from '../tree/build.ts'
import { changeSteps, type Edits } from './apply.ts'
import type { Change } from './changes.ts'
import type { EditSource } from './draft.ts'
import { type Answering, answerTo, type LinkingBlob, type Structure } from './requests.ts'

/** A revision with all its files in memory. */
export type MemorySource = EditSource & {
  input: Structure
  /** Returns the bytes of a blob; undefined if there is none. */
  blob: (oid: string) => Uint8Array | undefined
  /** The trees of other revisions, by the name that changes use. */
  snapshots?: ReadonlyMap<string, ContentTree>
}

/** Applies changes to a revision in memory; see `changeSteps`. */
export function applyChanges(source: MemorySource, changes: readonly Change[]): Edits {
  const answering = answersFrom(source)
  const steps = changeSteps(source, changes)
  let step = steps.next()
  while (!step.done) step = steps.next(step.value && answerTo(answering, step.value))
  return step.value
}

/** Returns the answers to requests about a revision in memory. */
export const answersFrom = ({ input, blob, snapshots = new Map() }: MemorySource): Answering => ({
  blobs: ({ oids }) => new Map(oids.flatMap(oid => pairOf(oid, blob(oid)))),
  links: ({ to, oids }) => {
    const linksOf = inboundOf(to)
    const linking = new Map<string, LinkingBlob>()
    for (const oid of oids) {
      const bytes = blob(oid)
      const links = bytes && atOnce(linksOf(bytes))
      if (links) linking.set(oid, { bytes, links })
    }
    return linking
  },
  snapshots: () => snapshots,
  structure: () => input,
})

const pairOf = <Value>(key: string, value: Value | undefined): [string, Value][] =>
  value === undefined ? [] : [[key, value]]
