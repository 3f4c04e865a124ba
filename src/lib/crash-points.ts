/**
 * Named points at which a test kills the process, to check that recovery works: STEMMA_CRASH_AT
 * selects one (`W3`) and optionally the occurrence (`W3#5`: the fifth). Without it nothing is
 * counted. W1 objects written, W2 default branch of an untouched space changed, W3 intent recorded or
 * objects packed for a shared database, W4 refs moved, W5 refs synced, W6 rows written; in recovery R0 started, R2 stale locks of a space
 * removed, R3 refs of an intent moved, R4 a space opened, R5 ready to listen, R1 orphans set aside.
 * R2 and R4 are reached before the server listens if the journal names a space, else when the first
 * space is opened.
 */
type CrashPoint =
  | 'W1'
  | 'W2'
  | 'W3'
  | 'W4'
  | 'W5'
  | 'W6'
  | 'R0'
  | 'R1'
  | 'R2'
  | 'R3'
  | 'R4'
  | 'R5'
  | 'M1'
  | 'M2'
  | 'M3'
  | 'M4'
  | 'M5'

const [where, time = '1'] = (process.env.STEMMA_CRASH_AT ?? '').split('#')
let left = Number(time)

/** Kills the process if this is the selected point. */
export const crashPoint: (point: CrashPoint) => void = !where
  ? () => {}
  : point => {
      if (point === where && --left === 0) process.kill(process.pid, 'SIGKILL')
    }

/**
 * Returns whether STEMMA_TEST_NO_JOURNAL=1 disables the journal: the crash test must then detect
 * damage, which shows that it works.
 */
export const withoutJournal = process.env.STEMMA_TEST_NO_JOURNAL === '1'

/**
 * Returns whether STEMMA_TEST_NO_SWAP=1 lets nodes move refs whatever their values are: a test of two
 * nodes must then lose edits, which shows that it works.
 */
export const withoutSwap = (): boolean => process.env.STEMMA_TEST_NO_SWAP === '1'
