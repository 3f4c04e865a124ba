import { createRequire } from 'node:module'
import { z } from 'zod'
import { anyone } from '../../access/guards/self.ts'
import { endpoint } from '../../http/endpoint.ts'

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string }

/** When this program was built; it runs from its sources, so that is when it started. */
const build = new Date().toISOString()

export const getApiInformation = endpoint({
  operationId: 'getApiInformation',
  summary: 'Get the version of the service',
  description: '`build` is when the program that answers was started.',
  params: z.object({}),
  reply: z.object({ version: z.string(), build: z.string() }),
  access: anyone,
  handle: () => ({ version, build }),
})
