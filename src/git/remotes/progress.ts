/** The progress of a fetch in objects; `done` may stall at the end of a stage. */
export type Progress = {
  stage: 'counting' | 'receiving' | 'resolving' | 'checking'
  done: number
  total: number
}

const stages: Record<string, Progress['stage']> = {
  'Counting objects': 'counting',
  'Compressing objects': 'counting',
  'Receiving objects': 'receiving',
  'Unpacking objects': 'receiving',
  'Resolving deltas': 'resolving',
  'Checking objects': 'checking',
}

/**
 * Returns a function that takes chunks of git's stderr and reports progress, at most once per chunk
 * and stage.
 */
export function progressReader(onProgress: (progress: Progress) => void): (text: string) => void {
  let rest = ''
  return text => {
    const lines = (rest + text).split(/[\r\n]/)
    rest = (lines.pop() ?? '').slice(-500)
    const last = new Map<Progress['stage'], Progress>()

    for (const line of lines) {
      const [, name = '', done, total] =
        /^(?:remote: )?([A-Z][a-z]+ [a-z]+): +\d+% \((\d+)\/(\d+)\)/.exec(line) ?? []
      const stage = stages[name]
      if (stage) last.set(stage, { stage, done: Number(done), total: Number(total) })
    }

    for (const progress of last.values()) onProgress(progress)
  }
}
