import { z } from 'zod'
import { type Scope, scopes } from '../../access/scopes.ts'
import { lineOfText } from '../../lib/line-of-text.ts'

export const ScopeName = z.enum(scopes as [Scope, ...Scope[]]).meta({
  id: 'TokenScope',
  description:
    'What a token may do: `read`, `write` or `admin`, each including the ones before it. Alone, a level applies to everything; with a name and ":" before it, to one family of operations. A token never has more rights than its user.',
})

/** What a user asks of a new token of theirs. */
export const TokenBody = z.strictObject({
  name: lineOfText(1, 100).meta({ description: 'A name that you choose.' }),
  expiresAt: z.iso.datetime({ offset: true }).optional().meta({
    description: 'When it expires. Default: the expiry of the token of this request, if any.',
  }),
  scopes: z.array(ScopeName).min(1).max(scopes.length).optional().meta({
    description: 'Default: the scopes of the token of this request.',
  }),
  organization: z.string().optional().meta({
    description:
      'The only organization that it reaches. Default: as for the token of this request.',
  }),
  space: z.string().optional().meta({
    description: 'The only space that it reaches. Default: as for the token of this request.',
  }),
})
