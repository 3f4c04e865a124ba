/**
 * Named places at which a test lets the process die, to see that what it leaves can be put right: the variable
 * STEMMA_CRASH_AT says which (`W3`), and which time it comes by (`W3#5`: the fifth). Without it nothing is counted.
 *
 * W1 objects written, W3 intent written down, W4 refs moved, W5 refs safe on the disk, W6 rows written; in recovery R0
 * begun, R1 orphans removed, R2 stale locks removed, R3 the refs of an intent moved, R4 a space reconciled, R5 ended.
 */
export type CrashPoint = 'W1' | 'W3' | 'W4' | 'W5' | 'W6' | 'R0' | 'R1' | 'R2' | 'R3' | 'R4' | 'R5'

const [where, time = '1'] = (process.env.STEMMA_CRASH_AT ?? '').split('#')
let left = Number(time)

/** Kills the process when it is to die here. */
export const crashPoint: (point: CrashPoint) => void = !where
  ? () => {}
  : point => {
      if (point === where && --left === 0) process.kill(process.pid, 'SIGKILL')
    }

/**
 * Whether intents are left out of the journal, by STEMMA_TEST_NO_JOURNAL=1: what a crash leaves then is wrong, which
 * shows that the crash test would see it.
 */
export const withoutJournal = process.env.STEMMA_TEST_NO_JOURNAL === '1'
