declare module 'autocannon' {
  export type Options = {
    url: string
    connections: number
    duration: number
    headers?: Record<string, string>
  }
  export type Result = {
    errors: number
    timeouts: number
    /** Seconds. */
    duration: number
    requests: { total: number }
    /** Bytes, including response heads. */
    throughput: { total: number }
    statusCodeStats: Record<string, { count: number }>
  }
  export default function autocannon(options: Options): Promise<Result>
}
