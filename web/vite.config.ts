import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwind()],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Each request costs a phone more than the bytes that it could spare.
        codeSplitting: {
          groups: [
            // With everything that they import, as far as a group before has not taken it.
            { name: 'start', test: /web\/src\/main\.tsx/, priority: 3 },
            { name: 'front', test: /web\/src\/pages\/entry\//, priority: 2 },
            { name: 'inside', test: /web\/src\/layout\/(signed-in|administrator)-pages/, priority: 1 },
          ],
        },
      },
    },
  },
})
