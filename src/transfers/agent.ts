import { createRequire } from 'node:module'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/** The name of this server in the protocol, in place of Git's. */
export const agent = `stemma/${version}`
