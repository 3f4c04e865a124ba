import type { Program } from './program.ts'
import { prepareServer, type Server } from './server.ts'

type Variables = Record<string, string>

const ahead = 2

/**
 * Servers in the order in which they will be needed: the next ones load their modules in advance.
 */
export function openPool(
  program: Program,
  env: Variables,
  starts: readonly (Variables | undefined)[],
) {
  const later = starts.filter(variables => variables !== undefined)
  const warm: { variables: string; server: Server }[] = []
  const warmUp = () => {
    while (warm.length < ahead) {
      const variables = later.shift() ?? {}
      const server = prepareServer({ env: { ...env, ...variables }, cold: false, program })
      warm.push({ variables: JSON.stringify(variables), server })
    }
  }

  return {
    /** Returns a server with these variables; `cold` starts the program as a user does. */
    next: (variables: Variables, cold = false): Server => {
      if (cold) return prepareServer({ env: { ...env, ...variables }, cold, program })
      const at = warm.findIndex(each => each.variables === JSON.stringify(variables))
      const found = warm.splice(at, at < 0 ? 0 : 1)[0]?.server
      warmUp()
      return found ?? prepareServer({ env: { ...env, ...variables }, cold: false, program })
    },
    /** Ends the unused servers. */
    close: async () => {
      await Promise.all(warm.map(({ server }) => server.kill()))
    },
  }
}
