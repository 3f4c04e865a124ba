export const widths = [1440, 820, 390] as const
export const parts = ['live', 'workbench', 'samples'] as const
export const schemes = ['light', 'dark'] as const

/** What a run opens. */
export type Choice = {
  /** Returns whether a name is wanted: arguments of the same kind narrow the run to them. */
  chosen: (name: string, kind: RegExp) => boolean
  /** Opens every state once instead of in all widths and schemes. */
  isShort: boolean
  /** Whether arguments narrow the run. */
  isNarrow: boolean
  /** The folder that pictures are written to. */
  folder: string | undefined
}

export type Tally = { states: number; failed: number }

/** Reads the arguments of a run, and the folder `PICTURES`. */
export function readChoice(args: readonly string[]): Choice {
  const words = args.filter(arg => !arg.startsWith('--') && !parts.some(part => part === arg))
  return {
    chosen: (name, kind) => {
      const narrowing = words.filter(
        word =>
          kind.test(word) && (kind.source === '^[a-z]' ? !/^(?:light|dark)$/.test(word) : true),
      )
      return narrowing.length === 0 || narrowing.includes(name)
    },
    isNarrow: words.length > 0,
    isShort: args.includes('--short'),
    folder: process.env.PICTURES,
  }
}
