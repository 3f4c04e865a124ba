import { z } from 'zod'

export const Session = z
  .object({
    object: z.literal('session'),
    id: z.string(),
    token: z
      .string()
      .meta({ description: 'The token whose rights the session has. The session ends with it.' }),
    provider: z.string().optional().meta({
      description: 'The identity provider; left out for a session that was opened with a token.',
    }),
    organization: z.string().optional().meta({
      description: 'The only organization that the session reaches; all of the user when left out.',
    }),
    userAgent: z
      .string()
      .optional()
      .meta({ description: 'What the browser says it is, up to 200 characters.' }),
    address: z
      .string()
      .optional()
      .meta({ description: 'The address from which the browser signed in.' }),
    createdAt: z.string(),
    lastUsedAt: z
      .string()
      .optional()
      .meta({ description: 'The time of the last request, saved once per minute.' }),
    expiresAt: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Session', description: 'A browser that is signed in.' })

export const SessionPath = z.object({ sessionId: z.string() })
