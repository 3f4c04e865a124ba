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
  return Array.from({ length: count }, (_, index): Round => {
    // Once in a while the spaces are replaced, which nothing interrupts.
    const replaced = isReplacing(index)
    const recovery = replaced
      ? undefined
      : at?.startsWith('R')
        ? at
        : at
          ? undefined
          : pickSometimes(random, 0.15, recoveryPoints)
    const likely = recovery ? 0.7 : 0.3
    const point = replaced
      ? undefined
      : at && !recovery
        ? at
        : pickSometimes(random, likely, recovery ? ['W3', 'W4n', 'W4', 'W5'] : writePoints)
    return {
      point,
      recovery,
      nth: 1 + random.below(point === 'W1' || point === 'W4' || point === 'W5' ? 30 : 15),
      afterMs: random.below(300),
      children: random.chance(0.5),
      cold: index % 10 === 9,
    }
  })
}

/** Whether the spaces of the rounds before give way to new ones in this round. */
export const isReplacing = (round: number): boolean => round % 25 === 0

const pickSometimes = (random: Random, probability: number, from: readonly string[]): string | undefined =>
  random.chance(probability) ? random.pick(from) : undefined

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
