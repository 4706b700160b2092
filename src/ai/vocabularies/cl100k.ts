import ranks from 'js-tiktoken/ranks/cl100k_base';

// A module for both ways of loading, import() and require(): a bundle would hold the package twice.
export default ranks;
