import type { Program } from './program.ts'
import { prepareServer, type Server } from './server.ts'

type Told = Record<string, string>

const ahead = 2

/** Servers in the order in which they will be wanted: the next ones load their modules while others are at work. */
export function openPool(program: Program, env: Told, starts: readonly (Told | undefined)[]) {
  const later = starts.filter(told => told !== undefined)
  const warm: { told: string; server: Server }[] = []
  const warmUp = () => {
    while (warm.length < ahead) {
      const told = later.shift() ?? {}
      const server = prepareServer({ env: { ...env, ...told }, cold: false, program })
      warm.push({ told: JSON.stringify(told), server })
    }
  }
  return {
    /** A server that is told these variables; `cold`: the program as anybody starts it. */
    next: (told: Told, cold = false): Server => {
      if (cold) return prepareServer({ env: { ...env, ...told }, cold, program })
      const at = warm.findIndex(each => each.told === JSON.stringify(told))
      const found = warm.splice(at, at < 0 ? 0 : 1)[0]?.server
      warmUp()
      return found ?? prepareServer({ env: { ...env, ...told }, cold: false, program })
    },
    /** Ends those that were not wanted. */
    close: async () => {
      await Promise.all(warm.map(({ server }) => server.kill()))
    },
  }
}
