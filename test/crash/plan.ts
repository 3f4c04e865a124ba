import type { Random } from './random.ts'

/** Where a server may be told to die. W4n is made by hand: some refs of a transaction have moved. */
const writePoints = ['W1', 'W3', 'W4n', 'W4', 'W5', 'W6'] as const
const recoveryPoints = ['R0', 'R1', 'R2', 'R3', 'R4', 'R5'] as const
export const points: readonly string[] = [...writePoints, ...recoveryPoints]

/** How the server of a round ends. */
export type Round = {
  /** At which named point, or when the clock says so. */
  point: string | undefined
  /** Which time it comes by there. */
  nth: number
  /** Milliseconds from ready to the kill. */
  afterMs: number
  /** Its Git processes die with it. */
  children: boolean
  /** Where, after that, two servers in a row die in recovery. */
  recovery: string | undefined
  /** The program itself is started, in place of one that has loaded its modules. */
  cold: boolean
}

/** The rounds of a seed: most end at a random time, a fourth at each point of writing, a few in recovery. */
export function planRounds(count: number, random: Random, at: string | undefined): Round[] {
  const nextWrite = inTurn(writePoints)
  const nextRecovery = inTurn(recoveryPoints)
  const nextBefore = inTurn(['W3', 'W4n', 'W4', 'W5'])
  const where = (): Pick<Round, 'point' | 'recovery'> => {
    if (at?.startsWith('W')) return { point: at, recovery: undefined }
    if (!at && !random.chance(0.15))
      return { point: random.chance(0.3) ? nextWrite() : undefined, recovery: undefined }
    // Recovery has most to do after one of these.
    return { point: random.chance(0.7) ? nextBefore() : undefined, recovery: at ?? nextRecovery() }
  }
  return Array.from({ length: count }, (_, index): Round => {
    const { point, recovery } = isReplacing(index) ? nowhere : where()
    return {
      point,
      recovery,
      nth: 1 + random.below(point === 'W1' || point === 'W4' || point === 'W5' ? 30 : 15),
      afterMs: random.below(300),
      children: random.chance(0.5),
      cold: index % 50 === 9,
    }
  })
}

const nowhere = { point: undefined, recovery: undefined }

/** Whether the spaces of the rounds before give way to new ones in this round, which nothing interrupts. */
export const isReplacing = (round: number): boolean => round % 25 === 0

/** Every point has its turn: the next of a list, and after the last one the first. */
function inTurn(points: readonly string[]): () => string {
  let last = -1
  return () => points[++last % points.length]!
}

/** The variable that makes a server die at a point. */
export function crashAt(point: string | undefined, nth: number): Record<string, string> {
  if (!point) return {}
  return { STEMMA_CRASH_AT: `${point === 'W4n' ? 'W3' : point}#${nth}` }
}

/** What the servers of a round are told, in the order of their starts; undefined for the program itself. */
export const startsOf = ({ point, nth, recovery, cold }: Round): (Record<string, string> | undefined)[] => [
  cold ? undefined : {},
  ...(point ? [crashAt(point, nth)] : []),
  ...(recovery ? [crashAt(recovery, 1), crashAt(recovery, 1)] : []),
]
