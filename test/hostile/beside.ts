import { openStage, type Stage, type StageOptions } from './stage.ts'

const open = new Map<string, Promise<Stage>>()

/**
 * Returns a server besides that of the run, with other settings: started by the first line that
 * needs it, shared by all.
 */
export function beside(name: string, options: StageOptions): Promise<Stage> {
  const stage = open.get(name) ?? openStage(options)
  open.set(name, stage)
  return stage
}

/** Stops all of them. */
export async function stopBeside(): Promise<void> {
  for (const stage of open.values()) await (await stage).stop()
  open.clear()
}
