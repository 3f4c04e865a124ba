import { openStage, type Stage, type StageOptions } from './stage.ts'

const open = new Map<string, Promise<Stage>>()

/** A server beside that of the run, with other settings: opened when the first line asks for it, shared by all that do. */
export function beside(name: string, options: StageOptions): Promise<Stage> {
  const stage = open.get(name) ?? openStage(options)
  open.set(name, stage)
  return stage
}

/** Ends all of them. */
export async function stopBeside(): Promise<void> {
  for (const stage of open.values()) await (await stage).stop()
  open.clear()
}
