import { createRequire } from 'node:module'
import { z } from 'zod'
import { anyone } from '../../access/guards/self.ts'
import { endpoint } from '../../http/endpoint.ts'

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string }

/** The build time. The program runs from its sources, so that is its start. */
const build = new Date().toISOString()

export const getApiInformation = endpoint({
  operationId: 'getApiInformation',
  summary: 'Get the version of the service',
  description:
    'Returns the version of the program, and in `build` the time at which the server started. No token is needed.',
  params: z.object({}),
  reply: z.object({
    version: z.string().meta({ description: 'The version of the program, such as `0.1.0`.' }),
    build: z.string().meta({
      description: 'The start time of the server, or another value that differs between builds.',
    }),
  }),
  access: anyone,
  handle: () => ({ version, build }),
})
