// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The natural logarithm with Go's rounding, for PodTopologySpread's scores.

#include <cmath>

namespace kubernetes {

/// The natural logarithm of a number of at least 1, rounded as Go rounds it on amd64. The C library's result is another
/// one for a number in a hundred, in the last bit. Both use fdlibm's polynomial; the order of operations is Go's.
inline double natural_log(double x) {
    int exponent = 0;
    double fraction = std::frexp(x, &exponent);
    if (fraction < 7.07106781186547524401e-01) {
        fraction *= 2;
        --exponent;
    }
    const double f = fraction - 1, k = exponent;
    const double s = f / (2 + f), s2 = s * s, s4 = s2 * s2;
    const double odd =
        s2 * (6.666666666666735130e-01 +
              s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)));
    const double even =
        s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
    const double half = 0.5 * f * f;
    return k * 6.93147180369123816490e-01 - ((half - (s * (half + (odd + even)) + k * 1.90821492927058770002e-10)) - f);
}

}  // namespace kubernetes
