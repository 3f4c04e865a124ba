import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Request, Response } from 'express'
import type { Context } from '../context.ts'
import { isSecure, readSecretCookie } from '../http/browser-session.ts'
import { sha256 } from '../lib/digest.ts'

/**
 * The cookie that binds a sign-in to the browser in which it began. The answer of a provider is a
 * cross-site POST.
 */
const cookie = '__Host-stemma-sso'
const seconds = 600

/** Sets the cookie, unless the browser has it. Returns the SHA-256 of its secret. */
export function setBrowserSecret(ctx: Context, req: Request, res: Response): string {
  const secret = readSecretCookie(req, cookie) ?? randomBytes(32).toString('base64url')
  if (isSecure(ctx))
    res.append(
      'Set-Cookie',
      `${cookie}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=None`,
    )
  return sha256(secret)
}

/** Returns whether a request comes from the browser with this hash of a secret. */
export function isSameBrowser(ctx: Context, req: Request, hash: string): boolean {
  // Over http, which is for development, only the code challenge binds the sign-in to the program
  // that began it.
  if (!isSecure(ctx)) return true
  const secret = readSecretCookie(req, cookie)
  return secret !== undefined && timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(hash))
}
