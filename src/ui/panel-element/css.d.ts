// esbuild bundles style sheets. The compiler has to know that they can be imported.
declare module '*.css';
