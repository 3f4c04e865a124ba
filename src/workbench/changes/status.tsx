import type { ChangeRequestStatus } from '../../store/tables/discussions.ts'
import { Badge, type Tone } from '../parts/pieces.tsx'

/** The word for each status, and its colour. */
export const statusWords: Readonly<
  Record<ChangeRequestStatus, readonly [word: string, tone: Tone]>
> = {
  open: ['Open', 'success'],
  draft: ['Draft', 'muted'],
  merged: ['Merged', 'info'],
  archived: ['Closed', 'danger'],
}

/** Returns the status of a change request as a word in its colour. */
export function Status({ of }: { of: ChangeRequestStatus }) {
  const [word, tone] = statusWords[of]
  return <Badge tone={tone}>{word}</Badge>
}

/** Returns the title of a change request: a draft may have none. */
export const titleOf = ({ subject, number }: { subject: string; number: number }): string =>
  subject.trim() || `Change request ${number}`
