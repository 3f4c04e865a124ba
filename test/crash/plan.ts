import type { Random } from './random.ts'

/**
 * The points at which a server can be made to die. W4n is produced by hand: some refs of a
 * transaction have moved.
 */
const writePoints = ['W1', 'W3', 'W4n', 'W4', 'W5', 'W6'] as const
/** Those that a server on a shared database passes, which has no journal. */
const sharedPoints = ['W1', 'W3', 'W4', 'W5', 'W6'] as const
const sharedRecoveryPoints = ['R0', 'R5'] as const
const recoveryPoints = ['R0', 'R1', 'R2', 'R3', 'R4', 'R5'] as const
export const points: readonly string[] = [...writePoints, ...recoveryPoints]

/** How the server of a round ends. */
export type Round = {
  /** The named point, or undefined for a kill at a time. */
  point: string | undefined
  /** Whether its clients put and delete OpenAPI specs alone, so that the point is one of theirs. */
  specs: boolean
  /** At which pass through the point. */
  nth: number
  /** Milliseconds from ready to the kill. */
  afterMs: number
  /** Whether its Git processes are killed with it. */
  children: boolean
  /** The point of recovery at which the two following servers die. */
  recovery: string | undefined
  /** Starts the program itself, instead of a process with preloaded modules. */
  cold: boolean
  /** Its folder is deleted with it, which is a cache of a shared database. */
  losesFolder: boolean
}

/**
 * The rounds of a seed: most end at a random time, a quarter at the points of writing, a few in
 * recovery, and an eighth at the points of writing specs.
 */
export function planRounds(
  count: number,
  random: Random,
  { at, isShared }: { at: string | undefined; isShared: boolean },
): Round[] {
  const ofWrites = isShared ? sharedPoints : writePoints
  const nextWrite = inTurn(ofWrites)
  const nextRecovery = inTurn(isShared ? sharedRecoveryPoints : recoveryPoints)
  const nextOfSpecs = inTurn(ofWrites)
  const nextBefore = inTurn(['W3', ...(isShared ? [] : ['W4n']), 'W4', 'W5'])
  const where = (): Pick<Round, 'point' | 'recovery'> => {
    if (at?.startsWith('W')) return { point: at, recovery: undefined }
    if (!at && !random.chance(0.15))
      return { point: random.chance(0.3) ? nextWrite() : undefined, recovery: undefined }
    // Recovery has the most work after one of these points.
    return { point: random.chance(0.7) ? nextBefore() : undefined, recovery: at ?? nextRecovery() }
  }

  return Array.from({ length: count }, (_, index): Round => {
    const { point, recovery } = isReplacing(index) ? nowhere : where()
    const specs = index % 8 === 3 && !at?.startsWith('R')
    return {
      point: specs ? (at ?? nextOfSpecs()) : point,
      recovery: specs ? undefined : recovery,
      specs,
      nth:
        1 + random.below(specs ? 4 : point === 'W1' || point === 'W4' || point === 'W5' ? 30 : 15),
      afterMs: random.below(300),
      children: random.chance(0.5),
      cold: index % 50 === 9,
      losesFolder: isShared && index % 4 === 2,
    }
  })
}

const nowhere = { point: undefined, recovery: undefined }

/**
 * Whether new spaces replace those of the earlier rounds in this round, which is not interrupted.
 */
export const isReplacing = (round: number): boolean => round % 25 === 0

/** Cycles through the points. */
function inTurn(points: readonly string[]): () => string {
  let last = -1
  return () => points[++last % points.length]!
}

/** The environment variable that makes a server die at a point. */
export function crashAt(point: string | undefined, nth: number): Record<string, string> {
  if (!point) return {}
  return { STEMMA_CRASH_AT: `${point === 'W4n' ? 'W3' : point}#${nth}` }
}

/**
 * The environments of the servers of a round, in the order of their starts; undefined for a cold
 * start.
 */
export const startsOf = ({
  point,
  nth,
  recovery,
  cold,
}: Round): (Record<string, string> | undefined)[] => [
  cold ? undefined : {},
  ...(point ? [crashAt(point, nth)] : []),
  ...(recovery ? [crashAt(recovery, 1), crashAt(recovery, 1)] : []),
]
